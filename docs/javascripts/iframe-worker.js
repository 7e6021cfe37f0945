// Search of the site runs in a worker, which browsers do not start from a file. So where the site is
// read from a disk, a hidden frame takes the worker's place.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      frame.contentDocument.open();
      frame.contentDocument.write("<!doctype html><body>");
      frame.contentDocument.close();
      this.scope = frame.contentWindow;
      this.scope.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      const script = this.scope.document.createElement("script");
      this.loaded = new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
      });
      script.src = url;
      this.scope.document.body.append(script);
    }

    postMessage(data) {
      this.loaded.then(() => this.scope.dispatchEvent(new MessageEvent("message", {data})));
    }

    terminate() {
      this.scope.frameElement.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
