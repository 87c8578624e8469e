/** The share of locks that should start within their window, on every simulated floor. docs/decisions/0011. */
export const TARGET_START_RATE = 0.95;
