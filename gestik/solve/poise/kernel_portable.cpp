#define GESTIK_POISE_PATH portable
#include "gestik/solve/poise/kernel_impl.h"
