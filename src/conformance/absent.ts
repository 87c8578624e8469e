/** The gateway does not have what is checked, such as an operation of the market. */
export class Absent extends Error {}
