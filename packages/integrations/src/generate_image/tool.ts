/** Generates and edits images with the image models of the user's providers. */
import type { Touch } from "@tau/agent";
import { z } from "zod";

import { defineTool, keysOfServices, type TouchContext } from "@tau/tools/tool";
import { chosenService } from "./choose.ts";
import { limits } from "./limits.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { aspectRatios, imageSizes } from "./services.ts";

export const generateImage = defineTool({
	name: "generate_image",
	label: "Generate image",
	prompt,
	concurrency: "shared",
	approval: "read",
	searchHint: "or edit",
	aliases: ["gemini_image"],
	schema,
	parameters: () =>
		z.object({
			subject: z.string().min(1).max(limits.subjectChars),
			aspect_ratio: z.enum(aspectRatios).optional(),
			image_size: z.enum(imageSizes).optional(),
			input: z
				.array(z.string().min(1))
				.max(limits.inputs)
				.optional()
				.describe("paths of images to edit or use"),
		}),
	touches: ({ input = [] }, context) => imageTouches(input, context),
	async execute(params, context) {
		const { generate } = await import("./generate.ts");
		return await generate(params, context);
	},
	view: { call: ({ subject }) => `generate_image ${subject ?? "…"}`, showsImages: true },
});

/** What is sent, and where. */
function imageTouches(input: readonly string[], { services, settings, resolve }: TouchContext): Touch[] {
	const keys = services?.provided(keysOfServices);
	const files = input.map((path): Touch => ({ kind: "read", path: resolve(path) }));
	const service = keys && settings && chosenService({ keys, settings });
	const url = service && keys.address(service.id);
	return url ? [...files, { kind: "fetch", url }] : files;
}
