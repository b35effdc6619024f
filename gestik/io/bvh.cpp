#include "gestik/io/bvh.h"
