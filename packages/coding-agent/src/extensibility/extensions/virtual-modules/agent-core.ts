/** What extensions get when they import pi's agent package. */
import * as agent from "@tau/agent";

export function agentExports(): Record<string, unknown> {
	return { ...agent };
}
