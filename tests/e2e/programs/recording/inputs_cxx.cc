/* Prints what the C++ library asks of the system: random devices, clocks, files of the kernel,
 * directories, disks. */
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mpi.h>
#include <random>
#include <string>
#include <thread>

static void show_line(const char *path)
{
	std::ifstream stream(path);
	std::string line;

	for (int i = 0; i < 2; i++) {
		std::getline(stream, line);
		std::cout << path << ": " << line << "\n";
		stream.clear();
		stream.seekg(0);
	}
}

int main(int argc, char **argv)
{
	namespace files = std::filesystem;
	unsigned value = 0;
	int count = 0;

	MPI_Init(&argc, &argv);
	std::random_device device, other("/dev/urandom");
	std::mt19937 engine(device());
	std::cout << "random: " << engine() << " " << other() << "\n";
	std::ifstream("/dev/urandom", std::ios::binary)
		.read(reinterpret_cast<char *>(&value), sizeof(value));
	std::cout << "urandom: " << value << "\n";
	show_line("/proc/uptime");
	show_line("/proc/self/stat");
	std::cout << "clock: " << std::chrono::steady_clock::now().time_since_epoch().count()
		  << "\nprocessors: " << std::thread::hardware_concurrency()
		  << "\nfree: " << files::space("/tmp").free << "\n";
	for (const auto &entry : files::directory_iterator("/proc"))
		count += entry.path().string().size() > 0;
	std::cout << "entries: " << count << "\n";
	files::create_directories("made_here/deeper");
	std::cout << "exists: " << files::exists("made_here/deeper")
		  << ", removed: " << files::remove_all("made_here") << "\n";
	std::cout << "memory: " << new int[100] << std::endl;
	MPI_Finalize();
	return 0;
}
