/** The door of the transport. */
export { post } from "./http.ts";
