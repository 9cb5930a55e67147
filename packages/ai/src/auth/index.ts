/** The public interface of authentication. */
export { authorizer, setAnthropicKey } from "./authorize.ts";
export { clientHeaders } from "./code-assist/client.ts";
export { splitKey } from "./code-assist/key.ts";
export { projectOf } from "./code-assist/project.ts";
export { codexAccount } from "./codex-account.ts";
export type { AuthScheme } from "./scheme.ts";
