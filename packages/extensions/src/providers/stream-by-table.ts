/** Calls a model with the protocols of the process, bypassing the model's own stream function. */
import { ownStream, stream, type StreamFunction } from "@tau/ai";

export const streamByTable: StreamFunction = ({ [ownStream]: _, ...model }, context, options) =>
	stream(model, context, options);
