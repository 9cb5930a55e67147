/** The models that a person or a client can choose from. */
import type { Model, ThinkingLevel } from "@tau/ai";

export interface UsableModels {
	/** Those that could be asked right now. */
	available(): readonly Model[];
	/** Those that the person limited the choice to; empty when it is not limited. */
	scoped(): readonly { model: Model; thinking?: ThinkingLevel }[];
	/** A model that can be asked. Throws what is missing, in words for a person. */
	ready(provider: string, id: string): Promise<Model>;
}
