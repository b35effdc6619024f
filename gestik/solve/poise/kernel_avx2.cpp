#define GESTIK_POISE_PATH avx2
#include "gestik/solve/poise/kernel_impl.h"
