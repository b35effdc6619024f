#include "gestik/solve/learnt/learnt.h"

#include <gtest/gtest.h>
