#pragma once

#include <string>
#include <string_view>

#include "gestik/learn/model.h"

namespace gestik::learn {

/// A model as bytes: the chain with everything that makes its signature, the growth settings, and
/// the poses as they are. Trees and cells follow from these and are grown again by the reader: a
/// file holds nothing that could contradict itself. Numbers are little-endian whatever the machine.
/// docs/LEARNT.md has the layout.
std::string write_model(const Model&);

/// Reads what write_model wrote: the same bits again. Safe on any bytes: sizes are compared with
/// what is there before anything is allocated, and everything that learn() and build() refuse is
/// refused here. `file` is only a name for messages.
Result<Model> read_model(std::string_view bytes, std::string_view file);

}  // namespace gestik::learn
