/** A stored credential for tests: a test states only the facts that it is about. */
import type { CredentialSummary } from "@tau/ai";

export function testCredential(facts: Partial<CredentialSummary> = {}): CredentialSummary {
	return {
		id: "1",
		provider: "anthropic",
		kind: "oauth",
		createdAt: 0,
		lastUsedAt: 0,
		restsUntil: 0,
		renewable: true,
		...facts,
	};
}
