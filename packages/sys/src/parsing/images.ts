/** Makes images fit for models and terminals: small ones here, larger ones in a worker process. */
import { checkImage, fit, type FittedImage, type ImageLimits, type ImageRefusal } from "../images/fit.ts";
import type { ConvertedImage, ImageTarget } from "../images/convert.ts";
import { limits } from "./limits.ts";
import { orRefusal, parsers } from "./parsers.ts";

/** An image that a model accepts unchanged stays as it is; others are scaled and encoded again. */
export async function fitImage(
	bytes: Uint8Array,
	imageLimits?: ImageLimits,
	signal?: AbortSignal,
): Promise<FittedImage | ImageRefusal> {
	const checked = checkImage(bytes);
	if (!checked.ok) return checked;
	if (isSmall(checked)) return await fit(bytes, imageLimits);
	const options = { limits: limits.image, signal };
	return await orRefusal(parsers.run("image", [bytes, imageLimits], options), refusal);
}

/** Sixel is always made in a worker process: sorting pixels by color is our own code and takes longest. */
export async function convertImage(
	bytes: Uint8Array,
	target: ImageTarget,
	signal?: AbortSignal,
): Promise<ConvertedImage> {
	const checked = checkImage(bytes);
	if (!checked.ok) return checked;
	if (target.format !== "sixel" && isSmall(checked)) {
		return await (await import("../images/convert.ts")).convert(bytes, target);
	}
	const options = { limits: limits.image, signal };
	return await orRefusal(parsers.run("imageConversion", [bytes, target], options), refusal);
}

function isSmall({ width, height, bytes }: { width: number; height: number; bytes: Uint8Array }): boolean {
	return width * height <= limits.smallImagePixels && bytes.length <= limits.smallImageBytes;
}

function refusal(why: string): ImageRefusal {
	return {
		ok: false,
		problem: "too-large",
		message: `The image was not processed: ${why}. Make it smaller first.`,
	};
}
