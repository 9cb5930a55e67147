/** Why a login or a renewal did not come about. */
import { cutUnits, maskSecrets, oneLine } from "@tau/utils";

import { limits as packageLimits } from "../../limits.ts";

export type OAuthProblem =
	/** The person or the server said no. */
	| "denied"
	/** Nobody answered in time. */
	| "expired"
	/** The grant is not valid any more: only a new login helps. */
	| "revoked"
	/** The server refuses the request for another reason. */
	| "refused"
	/** The server's answer makes no sense. */
	| "malformed"
	/** The server cannot be reached, or is out of order: a later try may help. */
	| "network"
	| "aborted";

export class OAuthError extends Error {
	override name = "OAuthError";
	readonly problem: OAuthProblem;

	constructor(problem: OAuthProblem, message: string) {
		// A server's words are a stranger's: one line, without control sequences or what it may quote.
		const start = cutUnits(message, packageLimits.errorBodyBytes);
		super(oneLine(maskSecrets(start), packageLimits.errorMessageChars));
		this.problem = problem;
	}
}
