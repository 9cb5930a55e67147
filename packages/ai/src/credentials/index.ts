/** The public interface of credentials. */
export type { BrokerAccess } from "./broker/access.ts";
export { logInTo, renewLogin } from "./log-in-to.ts";
export type { LoginInteraction, LoginStep } from "./oauth/interaction.ts";
export type { OwnLogin } from "./own-login.ts";
export { fetchQuota, quotaProviders, type Quota, type QuotaWindow } from "./quota.ts";
export { CredentialStore, type CredentialStoreOptions, type LoginOutcome } from "./store.ts";
export {
	CredentialError,
	type CredentialSummary,
	type NewCredential,
	type Outcome,
	type ResolvedCredential,
} from "./types.ts";
