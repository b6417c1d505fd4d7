// Full screen, entered only once an older one has been left: the end of that would end the new one.

let leaving = null; // resolves once the window has left full screen

/** Resolves to whether the window is full screen; on some devices it never is. */
export async function enterFullScreen() {
  await leaving;
  return Boolean(await document.documentElement.requestFullscreen?.().then(() => true, () => false));
}

export function leaveFullScreen() {
  if (document.fullscreenElement) leaving = document.exitFullscreen().catch(() => {});
}
