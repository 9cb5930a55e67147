/** The door of credentials. */
export type { LoginInteraction, LoginStep } from "./oauth/interaction.ts";
export { CredentialStore, type CredentialStoreOptions, type LoginOutcome } from "./store.ts";
export {
	CredentialError,
	type CredentialSummary,
	type NewCredential,
	type Outcome,
	type ResolvedCredential,
} from "./types.ts";
