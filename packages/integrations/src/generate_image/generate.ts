/** Generates images with the user's service, and saves them as artifacts; loaded with its first call. */
import type { AgentToolResult } from "@tau/agent";
import type { ImageContent } from "@tau/ai";
import type { ArtifactExtension } from "@tau/session/artifacts";
import { fitImage, identifyImage } from "@tau/sys";
import { oneLine, stripControls } from "@tau/utils";

import { keysOfServices, type ToolContext, paidUsage, errorResult } from "@tau/tools/tool";
import { chosenService } from "./choose.ts";
import { limits } from "./limits.ts";
import { ImageProblem, order } from "./request.ts";
import type { ImageOrder, InputImage } from "./services.ts";

export interface ImageParams {
	subject: string;
	aspect_ratio?: ImageOrder["aspectRatio"];
	image_size?: ImageOrder["imageSize"];
	input?: readonly string[] | undefined;
}

export async function generate(params: ImageParams, context: ToolContext): Promise<AgentToolResult> {
	try {
		return await made(params, context);
	} catch (error) {
		if (error instanceof ImageProblem) return errorResult(error.message);
		throw error;
	}
}

async function made(params: ImageParams, context: ToolContext): Promise<AgentToolResult> {
	const { services, settings, signal } = context;
	const keys = services.provided(keysOfServices);
	const service = keys && chosenService({ keys, settings });
	if (!keys || !service)
		throw new ImageProblem(
			"No service for images has a key. Ask the user to log in to openai, google, xai or openrouter (tau login).",
		);
	const access = await keys.resolve(service.id, signal);
	if (!access) throw new ImageProblem(`There is no key for ${service.label} (tau login ${service.id}).`);
	const model = settings.get("providers.imageModel") ?? service.model;
	const inputs = await Promise.all((params.input ?? []).map((path) => inputImage(path, context)));
	const { subject, aspect_ratio: aspectRatio, image_size: imageSize } = params;
	const answer = await order(service, { model, subject, aspectRatio, imageSize, inputs }, access, signal);
	const usage = paidUsage({ provider: service.id, model, ...service.usage(answer) });
	const said = oneLine(stripControls(service.text(answer)), limits.noteChars);
	const images = service.images(answer).slice(0, limits.images);
	if (images.length === 0)
		throw new ImageProblem(`${service.label} made no image${said === "" ? "." : `: ${said}`}`);
	const saved = await Promise.all(images.map((image) => save(image, context)));
	const text = [
		...saved.map(({ path, about }) => `Saved ${path} (${about}).`),
		...(said === "" ? [] : [said]),
		`By ${service.label}, ${model}.`,
	].join("\n");
	return {
		content: [{ type: "text", text }, ...saved.flatMap(({ shown }) => shown ?? [])],
		details: { provider: service.id, model, images: saved.map(({ path, id }) => ({ path, artifactId: id })) },
		...(usage ? { usage } : {}),
	};
}

async function inputImage(name: string, { machine, resolve, signal }: ToolContext): Promise<InputImage> {
	const bytes = await machine.files
		.read(resolve(name), { maxBytes: limits.inputBytes, signal })
		.catch((error: NodeJS.ErrnoException) => {
			signal.throwIfAborted();
			throw new ImageProblem(`Cannot read ${name}: ${error.code ?? error.message}.`);
		});
	const mimeType = identifyImage(bytes)?.mimeType;
	if (mimeType === undefined) throw new ImageProblem(`${name} is not an image.`);
	return { mimeType, data: Buffer.from(bytes).toString("base64") };
}

const extensions: Readonly<Record<string, ArtifactExtension>> = {
	"image/png": "png",
	"image/jpeg": "jpeg",
	"image/webp": "webp",
	"image/gif": "gif",
};

/** The file has what the service sent; the conversation gets what models take. */
async function save(
	image: string,
	{ artifacts, signal }: ToolContext,
): Promise<{ id: string; path: string; about: string; shown: ImageContent | undefined }> {
	const bytes = Buffer.from(image.replace(/^data:[^,]*,/, ""), "base64");
	const info = identifyImage(bytes);
	const extension = info && extensions[info.mimeType];
	if (!info || !extension) throw new ImageProblem("The service sent something that is not an image.");
	using artifact = artifacts.open("generate_image", extension);
	artifact.write(bytes);
	if (artifact.lost > 0) throw new ImageProblem(`${artifact.path} could not be written: is the disk full?`);
	const fitted = await fitImage(bytes, undefined, signal);
	const size = info.size ? `, ${info.size.width}x${info.size.height}` : "";
	return {
		id: artifact.id,
		path: artifact.path,
		about: `artifact://${artifact.id}, ${info.mimeType}${size}`,
		shown: fitted.ok
			? {
					type: "image",
					data: Buffer.from(fitted.bytes).toString("base64"),
					mimeType: fitted.mimeType,
				}
			: undefined,
	};
}
