/** For tests that share a process. */
export { forgetSecrets } from "../mask.ts";
