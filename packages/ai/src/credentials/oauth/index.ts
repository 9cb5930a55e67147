/** The public interface of logins. */
export { findFlow, oauthFlows } from "./flows.ts";
export type { OAuthFlow } from "./flow.ts";
export type { LoginInteraction, LoginStep } from "./interaction.ts";
export { login, renew } from "./login.ts";
export { OAuthError } from "./oauth-error.ts";
export { exchange } from "./tokens.ts";
