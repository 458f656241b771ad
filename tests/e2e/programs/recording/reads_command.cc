// Each rank reads what a command prints, through a stream of C, and runs a command that leaves a line
// in the file "done.RANK".
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mpi.h>
#include <string>

static std::string output_of(const std::string &command)
{
	std::unique_ptr<FILE, int (*)(FILE *)> stream(popen(command.c_str(), "r"), pclose);
	std::array<char, 100> part;
	std::string whole;

	while (stream && std::fgets(part.data(), part.size(), stream.get()))
		whole += part.data();
	return whole;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	const std::string file = "done." + std::to_string(rank);
	const std::string output = output_of("echo popen >> " + file + "; date +%N; seq 5000");
	const int status = std::system(("echo system >> " + file).c_str());
	// A line is written at once, so that ranks beside each other do not mix theirs.
	std::cout << output.substr(0, 9) + ", " + std::to_string(output.size()) + " bytes\n";
	std::cout << "system: " + std::to_string(status) + "\n";
	MPI_Finalize();
}
