/** What is made of checked parts is not checked again, which takes longer than all the rest of deciding. */
export const unchecked = { disableValidation: true }
