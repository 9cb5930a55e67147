/** Why a login or a renewal failed. */
import { cutUnits, maskSecrets, oneLine } from "@tau/utils";

import { limits as packageLimits } from "../../limits.ts";

export type OAuthProblem =
	/** The user or the server denied it. */
	| "denied"
	/** There was no answer in time. */
	| "expired"
	/** The grant is no longer valid: only a new login helps. */
	| "revoked"
	/** The server refuses the request for another reason. */
	| "refused"
	/** The server's answer is invalid. */
	| "malformed"
	/** The server is unreachable or out of order: a later attempt may help. */
	| "network"
	| "aborted";

export class OAuthError extends Error {
	override name = "OAuthError";
	readonly problem: OAuthProblem;
	/** Of the answer that it is about. */
	readonly status: number | undefined;

	constructor(problem: OAuthProblem, message: string, status?: number) {
		// A server's message is untrusted: it becomes one line, without control sequences and secrets.
		const start = cutUnits(message, packageLimits.errorBodyBytes);
		super(oneLine(maskSecrets(start), packageLimits.errorMessageChars));
		this.problem = problem;
		this.status = status;
	}
}
