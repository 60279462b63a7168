# Two objects are built from this, alike but for the size of the frame: the rule that was right for one is wrong for the
# other, at the same address.
    .text
    .globl call_through
    .type call_through, @function
call_through:
    .cfi_startproc
    sub $FRAME_BYTES, %rsp
    .cfi_adjust_cfa_offset FRAME_BYTES
    call *%rdi
    add $FRAME_BYTES, %rsp
    .cfi_adjust_cfa_offset -FRAME_BYTES
    ret
    .cfi_endproc
    .size call_through, . - call_through
    .section .note.GNU-stack, "", @progbits
