/** What extensions hear of a stored key or login that is not used any more. */
import type { CredentialSummary } from "@tau/ai";

import { limits } from "./limits.ts";
import type { CredentialDisabledEvent } from "../api/event-types.ts";

/** By omp's names, and without anything secret: the reason is what a server said. */
export function disabledEvent({
	provider,
	refused = "",
	account,
}: CredentialSummary): CredentialDisabledEvent {
	return {
		type: "credential_disabled",
		provider,
		disabledCause: refused.slice(0, limits.errorChars),
		...(account === undefined ? {} : { accountId: account }),
	};
}
