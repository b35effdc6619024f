#include "gestik/io/gestik_json.h"
