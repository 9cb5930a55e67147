/** The public interface of AWS authentication. */
export { authorizeAws } from "./authorize.ts";
export { uriEncode } from "./sigv4.ts";
