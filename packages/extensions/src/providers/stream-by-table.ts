/** Asks a model by the protocols of the process, past the stream that the model brings itself. */
import { ownStream, stream, type StreamFunction } from "@tau/ai";

export const streamByTable: StreamFunction = ({ [ownStream]: _, ...model }, context, options) =>
	stream(model, context, options);
