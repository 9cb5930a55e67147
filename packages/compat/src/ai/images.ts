/** pi's registry of image protocols: those that extensions register; Tau has none of its own. */
import { perScope } from "@tau/extensions/support";

interface ImagesModel {
	api: string;
	provider: string;
	id: string;
}

interface ImagesProvider {
	api: string;
	generateImages(model: ImagesModel, context: unknown, options?: unknown): Promise<unknown>;
}

/** Of each session's extensions. */
const registered = perScope(() => new Map<string, ImagesProvider>());

export function registerImagesApiProvider(provider: ImagesProvider): void {
	registered().set(provider.api, provider);
}

function getImagesApiProvider(api: string): ImagesProvider | undefined {
	return registered().get(api);
}

/** Never rejects: what went wrong is in the answer. */
export async function generateImages(
	model: ImagesModel,
	context: unknown,
	options?: unknown,
): Promise<unknown> {
	const failed = (errorMessage: string): unknown => ({
		api: model.api,
		provider: model.provider,
		model: model.id,
		output: [],
		stopReason: "error",
		errorMessage,
		timestamp: Date.now(),
	});
	const provider = registered().get(model.api);
	if (!provider) return failed(`No extension has registered the protocol ${model.api} for images.`);
	try {
		return await provider.generateImages(model, context, options);
	} catch (error) {
		return failed(error instanceof Error ? error.message : String(error));
	}
}

/** What extensions get of it. */
export const imageExports = {
	registerImagesApiProvider,
	getImagesApiProvider,
	generateImages,
};
