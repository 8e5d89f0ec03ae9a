"""One local stack for all agents of a user: started by the first, ended after the last.

Three locks of the kernel decide, and the kernel frees the locks of a killed process:

`starting`  held while a process joins or starts the stack, and while the stack ends
`members`   shared among the members; the stack ends where the lock has been free for a while
`process`   held by the stack from birth to death; the child inherits the lock from its starter

A member takes `starting`, then `members`. Where `process` is free, no stack runs, and the member
starts a stack as a detached child. The stack ends only while holding `starting` and `members`
alone, without an address for members. The kernel frees the locks of a dying process one by one, so
a member that sees `process` taken and no address waits for the death. The store lies in a file, so
the next stack has the memories of the last.
"""
