/** The ConverseStream protocol of Amazon Bedrock. */
import { uriEncode } from "../../auth/aws/index.ts";
import type { Codec } from "../codec.ts";
import { BedrockDecoder } from "./decode.ts";
import { encode } from "./encode.ts";

/** Authentication moves the request from here to the user's region. */
const anyRegion = "https://bedrock-runtime.us-east-1.amazonaws.com";

export const bedrockConverseStream: Codec = {
	api: "bedrock-converse-stream",
	framing: "aws-event-stream",
	auth: "aws",
	baseUrl: (model) => model.baseUrl || anyRegion,
	// Ids contain colons, and those of inference profiles slashes.
	path: (model) => `/model/${uriEncode(model.id)}/converse-stream`,
	headers: () => ({ accept: "application/vnd.amazon.eventstream" }),
	encode,
	decoder: (builder) => new BedrockDecoder(builder),
};
