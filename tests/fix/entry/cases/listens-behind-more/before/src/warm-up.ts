export const warm = true;
