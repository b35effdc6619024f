#include "gestik/io/urdf.h"
