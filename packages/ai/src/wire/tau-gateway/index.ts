/** The protocol of a Tau gateway, which asks a model in our place and holds its key (docs/gateway-protocol.md). */
import type { Codec } from "../codec.ts";
import { GatewayDecoder } from "./decode.ts";
import { encode } from "./encode.ts";

export const tauGateway: Codec = {
	api: "tau-gateway",
	framing: "sse",
	auth: "bearer",
	path: () => "/v1/stream",
	headers: () => ({ accept: "text/event-stream" }),
	encode,
	decoder: (draft) => new GatewayDecoder(draft),
};
