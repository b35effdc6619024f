#include "gestik/io/read.h"
