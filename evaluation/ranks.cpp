#include "evaluation/ranks.h"

#ifdef GESTIK_MPI
#include <mpi.h>
#endif

namespace gestik::evaluation {

#ifdef GESTIK_MPI

// Only the thread that made it talks to the others. MPI ends the whole run on an error by default,
// so there are no return codes to look at.
Ranks::Ranks() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
}

Ranks::~Ranks() {
  MPI_Finalize();
}

bool Ranks::any(bool mine) const {
  int said = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &said, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return said != 0;
}

std::vector<Words> Ranks::gather(const Words& mine) const {
  if (!first()) {
    const std::uint64_t size = mine.size();
    MPI_Send(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    MPI_Send(mine.data(), static_cast<int>(size), MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    return {};
  }
  std::vector<Words> all{mine};
  for (int rank = 1; rank < count_; ++rank) {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Words& words = all.emplace_back(size);
    MPI_Recv(words.data(), static_cast<int>(size), MPI_UINT64_T, rank, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  return all;
}

Words Ranks::from_first(Words words) const {
  std::uint64_t size = words.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  words.resize(size);
  MPI_Bcast(words.data(), static_cast<int>(size), MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return words;
}

#else

Ranks::Ranks() = default;
Ranks::~Ranks() = default;

bool Ranks::any(bool mine) const {
  return mine;
}

std::vector<Words> Ranks::gather(const Words& mine) const {
  return {mine};
}

Words Ranks::from_first(Words words) const {
  return words;
}

#endif

}  // namespace gestik::evaluation
