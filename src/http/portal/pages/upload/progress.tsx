/** How far a file is, and why it was refused, for the script. */
export const UploadProgress = () => (
  <>
    <div class="upload-progress" hidden data-progress>
      <progress max={100} value={0} aria-label="Progress" />
      <span role="status" data-progress-text />
    </div>
    <div data-refusal />
  </>
);
