// C++ without <iostream>: rank 0 takes the first message from any source, the second from rank 1,
// in nested templates. The finding must have the lines of this file.
#include <mpi.h>

#include <stdexcept>
#include <vector>

namespace
{
template <typename Value> class mailbox
{
public:
	explicit mailbox(MPI_Comm parent)
	{
		if (MPI_Comm_dup(parent, &comm_) != MPI_SUCCESS)
			throw std::runtime_error("no communicator");
	}
	~mailbox()
	{
		MPI_Comm_free(&comm_);
	}
	Value take(int source)
	{
		std::vector<Value> value(1);

		MPI_Recv(value.data(), 1, MPI_INT, source, 0, comm_, MPI_STATUS_IGNORE);
		return value.front();
	}
	void give(Value value)
	{
		MPI_Send(&value, 1, MPI_INT, 0, 0, comm_);
	}

private:
	MPI_Comm comm_;
};
} // namespace

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	{
		mailbox<int> box(MPI_COMM_WORLD);

		if (rank == 0) {
			box.take(MPI_ANY_SOURCE);
			box.take(1);
		} else {
			box.give(rank);
		}
	}
	MPI_Finalize();
	return 0;
}
