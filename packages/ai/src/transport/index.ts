/** The public interface of the transport. */
export { connectionTo } from "./connection.ts";
export { Gathering } from "./gathering.ts";
export { endpoint, post, type HttpRequest, type Take, type Verdict } from "./http.ts";
export { hostOf, lost } from "./lost.ts";
export { silenceFor } from "./silence.ts";
export { Watchdog } from "./watchdog.ts";
