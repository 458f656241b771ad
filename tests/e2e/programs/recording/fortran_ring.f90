! A ring in one of three ways to use MPI: -DMPIF_H, -DUSE_MPI, else mpi_f08.
program fortran_ring
#if defined(MPIF_H)
   implicit none
   include 'mpif.h'
   integer :: status(MPI_STATUS_SIZE), request
#elif defined(USE_MPI)
   use mpi
   implicit none
   integer :: status(MPI_STATUS_SIZE), request
#else
   use mpi_f08
   implicit none
   type(MPI_Status) :: status
   type(MPI_Request) :: request
#endif
   integer :: rank, size, code, round, value(3), got(3), total(3)

   call MPI_Init(code)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
   call MPI_Comm_size(MPI_COMM_WORLD, size, code)
   total = 0
   do round = 1, 10
      value = (/rank, round, rank*round/)
      call MPI_Isend(value, 3, MPI_INTEGER, mod(rank + 1, size), round, MPI_COMM_WORLD, request, code)
      call MPI_Recv(got, 3, MPI_INTEGER, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, status, code)
      call MPI_Wait(request, MPI_STATUS_IGNORE, code)
      total = total + got
   end do
   call MPI_Allreduce(MPI_IN_PLACE, total, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
   print *, rank, total, got
   call MPI_Finalize(code)
end program fortran_ring
