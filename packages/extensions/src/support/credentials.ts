/** The event that extensions receive for a stored key or login that is no longer used. */
import type { CredentialSummary } from "@tau/ai";

import { limits } from "./limits.ts";
import type { CredentialDisabledEvent } from "../api/event-types.ts";

/** The fields have omp's names and contain no secrets: the reason is the server's message. */
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
