/** A session for tests: a model that stands for a real one, no tools, no keys. */
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

/** What goes wrong on purpose in a test has no place in the log of the person who runs it. */
export function silenceLog(): void {
	const level = process.env.TAU_LOG_LEVEL;
	process.env.TAU_LOG_LEVEL = "off";
	// The level counts as it is at the first line; the variable is not left behind for other tests.
	log.debug("silence");
	if (level === undefined) delete process.env.TAU_LOG_LEVEL;
	else process.env.TAU_LOG_LEVEL = level;
}
