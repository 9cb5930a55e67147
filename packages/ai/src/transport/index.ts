/** The public interface of the transport. */
export { post, type HttpRequest } from "./http.ts";
export { silenceFor } from "./silence.ts";
