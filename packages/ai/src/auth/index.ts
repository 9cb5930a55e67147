/** The public interface of authentication. */
export { authorizer } from "./authorize.ts";
export type { AuthScheme } from "./scheme.ts";
