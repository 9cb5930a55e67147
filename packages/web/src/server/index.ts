/** What a server of the page needs and the page does not: who is let in, its files, bounded requests. Nothing of a session. */
export { serveFile, type PageFiles } from "./files.ts";
export { Guard, type Verdict } from "./guard.ts";
export { answer, empty, failure, HttpError, json, readBytes, readJson, textIn } from "./http.ts";
export { Logins } from "./logins.ts";
