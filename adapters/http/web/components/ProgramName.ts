/** The command line as people type it; the README has it too. */
export const program = "./gatehouse"
