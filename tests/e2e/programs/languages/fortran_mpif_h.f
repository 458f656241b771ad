C     Fortran with mpif.h: rank 0 takes the first message from any source, the second
C     from rank 1. The finding must have the lines of this file.
      program race
      implicit none
      include 'mpif.h'
      integer ierror, rank, got, comm
      integer status(MPI_STATUS_SIZE)

      call MPI_INIT(ierror)
      call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierror)
      call MPI_COMM_RANK(comm, rank, ierror)
      if (rank .eq. 0) then
         call MPI_RECV(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, comm,
     &                 status, ierror)
         call MPI_RECV(got, 1, MPI_INTEGER, 1, 0, comm,
     &                 MPI_STATUS_IGNORE, ierror)
      else
         call MPI_SEND(rank, 1, MPI_INTEGER, 0, 0, comm, ierror)
      end if
      call MPI_COMM_FREE(comm, ierror)
      call MPI_FINALIZE(ierror)
      end program race
