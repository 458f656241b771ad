! Each rank runs commands, which leave a line in the file "done.RANK".
program commands
    use mpi
    implicit none
    integer :: error, rank, status, code
    character(len=1) :: digit

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    write (digit, '(i1)') rank
    call execute_command_line('echo system >> done.' // digit // '; exit 3', exitstat=status, cmdstat=code)
    print *, 'exit', status, code
    call execute_command_line('echo beside >> done.' // digit, wait=.false., cmdstat=code)
    print *, 'beside', code
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
end program commands
