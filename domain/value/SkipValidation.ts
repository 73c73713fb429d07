/** Skips validation: the parts are already valid, and validating takes longer than the rest of a decision. */
export const skipValidation = { disableValidation: true }
