/** The models that a user or a client can choose from. */
import type { Model, ThinkingLevel } from "@tau/ai";

export interface UsableModels {
	/** The models that are usable right now. */
	available(): readonly Model[];
	/** The models in the user's scope; empty if the scope is not limited. */
	scoped(): readonly { model: Model; thinking?: ThinkingLevel }[];
	/** The settings of the scope have changed. */
	rescope(): void;
	/** Returns a model that is ready for requests. Throws a message for the user that names what is missing. */
	ready(provider: string, id: string): Promise<Model>;
}
