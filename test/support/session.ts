/** A session for tests: a model without a server, no tools, no keys. */
import type { Model } from "@tau/ai";
import { testModel } from "@tau/ai/testing";
import { log } from "@tau/utils";
import { AgentSession, type AgentSessionOptions } from "@tau/session";

export { testModel };

/** By `provider/id`. */
export function modelNamed(name: string): Model {
	const slash = name.indexOf("/");
	return testModel({ provider: name.slice(0, slash), id: name.slice(slash + 1) });
}

export function testSession(model: Model, options: Partial<AgentSessionOptions> = {}): AgentSession {
	silenceLog();
	return new AgentSession({ model, systemPrompt: "", tools: [], credentials: () => ({}), ...options });
}

/** Failures that a test provokes do not belong in the log of the user who runs it. */
export function silenceLog(): void {
	const level = process.env.TAU_LOG_LEVEL;
	process.env.TAU_LOG_LEVEL = "off";
	// The level is read at the first line; the variable is restored for other tests.
	log.debug("silence");
	if (level === undefined) delete process.env.TAU_LOG_LEVEL;
	else process.env.TAU_LOG_LEVEL = level;
}
