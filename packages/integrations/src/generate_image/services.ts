/** The services that generate images: for each, the request that it takes and where its answer has the images. */
import { at, firstText, listAt, numberAt, textAt } from "@tau/tools/json";
import type { Paid } from "@tau/tools/tool";
import models from "./models.json";

export const serviceIds = ["openai", "google", "xai", "openrouter"] as const;
export type ImageServiceId = (typeof serviceIds)[number];

export const aspectRatios = ["1:1", "3:4", "4:3", "2:3", "3:2", "9:16", "16:9"] as const;
export const imageSizes = ["1K", "2K", "4K"] as const;

export interface ImageOrder {
	readonly model: string;
	readonly subject: string;
	readonly aspectRatio?: (typeof aspectRatios)[number] | undefined;
	readonly imageSize?: (typeof imageSizes)[number] | undefined;
	readonly inputs: readonly InputImage[];
}

export interface InputImage {
	readonly mimeType: string;
	/** In base64. */
	readonly data: string;
}

export interface ImageService {
	readonly id: ImageServiceId;
	readonly label: string;
	/** Used unless the user has chosen another one. */
	readonly model: string;
	/** Behind the provider's address. */
	path(order: ImageOrder): string;
	/** The header that has the key. */
	authorize(key: string): Record<string, string>;
	body(order: ImageOrder): object;
	/** The images in base64, or as data URLs. */
	images(answer: unknown): string[];
	/** What the service says beside them, or instead of them. */
	text(answer: unknown): string;
	/** What it says about the tokens, and the dollars that it charges. */
	usage(answer: unknown): Pick<Paid, "input" | "output" | "dollars">;
}

const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });
const dataUrl = ({ mimeType, data }: InputImage): string => `data:${mimeType};base64,${data}`;
const generatedOrEdited = ({ inputs }: ImageOrder): string =>
	inputs.length === 0 ? "/images/generations" : "/images/edits";
const listed = (answer: unknown): string[] =>
	listAt(answer, "data").flatMap((each) => textAt(each, "b64_json") || []);

/** Images in three shapes only. */
function openaiSize(ratio: ImageOrder["aspectRatio"]): string {
	const [width = 1, height = 1] = (ratio ?? "").split(":").map(Number);
	if (ratio === undefined) return "auto";
	return width === height ? "1024x1024" : width > height ? "1536x1024" : "1024x1536";
}

const listedUsage: ImageService["usage"] = (answer) => ({
	input: numberAt(answer, "usage.input_tokens"),
	output: numberAt(answer, "usage.output_tokens"),
});

const parts = (answer: unknown): readonly unknown[] => listAt(answer, "candidates.0.content.parts");

export const imageServices: readonly ImageService[] = [
	{
		id: "openai",
		label: "OpenAI",
		model: models.openai,
		path: generatedOrEdited,
		authorize: bearer,
		body: (order) => ({
			model: order.model,
			prompt: order.subject,
			size: openaiSize(order.aspectRatio),
			...(order.imageSize === undefined ? {} : { quality: order.imageSize === "1K" ? "medium" : "high" }),
			output_format: "png",
			n: 1,
			...(order.inputs.length === 0
				? {}
				: { images: order.inputs.map((input) => ({ image_url: dataUrl(input) })) }),
		}),
		images: listed,
		text: () => "",
		usage: listedUsage,
	},
	{
		id: "google",
		label: "Gemini",
		model: models.google,
		path: ({ model }) => `/models/${encodeURIComponent(model)}:generateContent`,
		authorize: (key) => ({ "x-goog-api-key": key }),
		body: ({ subject, inputs, aspectRatio, imageSize }) => ({
			contents: [
				{ role: "user", parts: [...inputs.map((inlineData) => ({ inlineData })), { text: subject }] },
			],
			generationConfig: {
				responseModalities: ["TEXT", "IMAGE"],
				...(aspectRatio === undefined && imageSize === undefined
					? {}
					: {
							imageConfig: {
								...(aspectRatio === undefined ? {} : { aspectRatio }),
								...(imageSize === undefined ? {} : { imageSize }),
							},
						}),
			},
		}),
		images: (answer) => parts(answer).flatMap((part) => textAt(part, "inlineData.data") || []),
		text: (answer) =>
			[
				...parts(answer).map((part) => (at(part, "thought") === true ? "" : textAt(part, "text"))),
				textAt(answer, "promptFeedback.blockReason"),
				firstText(answer, "candidates.0.finishMessage", "candidates.0.finishReason").replace(/^STOP$/, ""),
			]
				.filter(Boolean)
				.join(" "),
		usage: (answer) => ({
			input: numberAt(answer, "usageMetadata.promptTokenCount"),
			output:
				(numberAt(answer, "usageMetadata.candidatesTokenCount") ?? 0) +
				(numberAt(answer, "usageMetadata.thoughtsTokenCount") ?? 0),
		}),
	},
	{
		id: "xai",
		label: "xAI",
		model: models.xai,
		path: generatedOrEdited,
		authorize: bearer,
		body: ({ model, subject, inputs, aspectRatio, imageSize }) => {
			const images = inputs.map((input) => ({ type: "image_url", url: dataUrl(input) }));
			return {
				model,
				prompt: subject,
				...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
				...(imageSize === undefined ? {} : { resolution: imageSize === "1K" ? "1k" : "2k" }),
				response_format: "b64_json",
				n: 1,
				...(images.length > 1 ? { images } : images.length === 1 ? { image: images[0] } : {}),
			};
		},
		images: listed,
		text: () => "",
		usage: listedUsage,
	},
	{
		id: "openrouter",
		label: "OpenRouter",
		model: models.openrouter,
		path: () => "/chat/completions",
		authorize: bearer,
		body: ({ model, subject, inputs, aspectRatio, imageSize }) => ({
			model,
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: subject },
						...inputs.map((input) => ({ type: "image_url", image_url: { url: dataUrl(input) } })),
					],
				},
			],
			modalities: ["image", "text"],
			...(aspectRatio === undefined && imageSize === undefined
				? {}
				: {
						image_config: {
							...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
							...(imageSize === undefined ? {} : { image_size: imageSize }),
						},
					}),
			stream: false,
			usage: { include: true },
		}),
		images: (answer) =>
			listAt(answer, "choices.0.message.images").flatMap((each) => textAt(each, "image_url.url") || []),
		text: (answer) => firstText(answer, "choices.0.message.content", "choices.0.message.refusal"),
		usage: (answer) => ({
			input: numberAt(answer, "usage.prompt_tokens"),
			output: numberAt(answer, "usage.completion_tokens"),
			dollars: numberAt(answer, "usage.cost"),
		}),
	},
];
